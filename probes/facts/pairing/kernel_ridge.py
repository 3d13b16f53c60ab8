"""Kernel ridge regression from vectors to vectors: what it predicts for held-out rows beside what each row holds."""

import numpy as np

FOLDS = 5
RIDGE = 0.3  # with 0.1 or 1.0 the sigmas of the demo, of clouds, of an exclusive or and of a sphere change by a tenth
FEW = 16  # targets of a row; of more, products of all pairs of rows are faster
VARY = 0.5  # of the variance over all rows; less, and nothing can be told within a stretch


def folds_of(rows: int) -> np.ndarray:
    """Drawn at random: data sets that are sorted by class have classes that no other fold would know."""
    return np.random.default_rng(0).permutation(np.arange(rows) * FOLDS // rows)


def standard(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean(0)) / (values.std(0) + 1e-9))


class VectorFit:
    """A Gaussian kernel as wide as the usual distance: linear relations show as with a linear model, and others too."""

    def __init__(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        self.targets = standard(targets).astype(np.float32)
        self.kernel = _kernel(standard(inputs))
        self.smoother = _held_out_smoother(self.kernel).astype(np.float32)
        self.products = self.targets @ self.targets.T if self.targets.shape[1] > FEW else None

    def total(self, order: np.ndarray) -> float:
        """How well held-out predictions fit, with targets in this order; of many targets by their products."""
        if self.products is not None:
            return float((self.smoother * self.products[np.ix_(order, order)]).sum())
        return _total(self.smoother, self.targets[order])

    def table(self, order: np.ndarray) -> np.ndarray:
        """[row, other row]: how well what is predicted fits, where rows were learned with targets in this order."""
        return np.asarray(self.smoother @ self.targets[order] @ self.targets.T)

    def varies(self, own: np.ndarray) -> bool:
        """Whether targets differ within these rows as they do over all, unlike data that are sorted by class."""
        return bool(self.targets[own].var(0).sum() > VARY * self.targets.var(0).sum())

    def planted(self, share: float, rng: np.random.Generator) -> float:
        """The total for targets that are dealt out anew, where a smooth function of the input explains this share."""
        rows, width = self.targets.shape
        smooth = standard(self.kernel @ rng.normal(size=(rows, width)))
        return _total(self.smoother, share**0.5 * smooth + (1 - share) ** 0.5 * self.targets[rng.permutation(rows)])


def _total(smoother: np.ndarray, targets: np.ndarray) -> float:
    return float(((smoother @ targets) * targets).sum())


def _kernel(x: np.ndarray) -> np.ndarray:
    sizes = (x**2).sum(1)
    squares = np.maximum(sizes[:, None] + sizes[None] - 2 * x @ x.T, 0.0)
    width = float(np.median(squares)) or float(squares.mean()) or 1.0
    return np.exp(-squares / width)


def _held_out_smoother(kernel: np.ndarray) -> np.ndarray:
    """Each fold is predicted from the others."""
    folds, found = folds_of(len(kernel)), np.zeros_like(kernel)
    for fold in range(FOLDS):
        own, seen = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        squares = kernel[np.ix_(seen, seen)] + RIDGE * np.eye(len(seen))
        found[np.ix_(own, seen)] = np.linalg.solve(squares, kernel[np.ix_(seen, own)]).T
    return found
