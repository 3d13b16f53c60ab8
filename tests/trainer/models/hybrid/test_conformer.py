"""The Conformer encoder: lengths, masks, chunks, and padding that stays where it is."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainer.models.hybrid.conformer import attention_mask, positions, valid_frames
from trainer.models.hybrid.model import HybridConfig, HybridModel

LENGTHS = [53, 31, 1, 4, 18]


def model(chunk_size: int = 0, kernel: int = 7) -> HybridModel:
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "heads": 2, "ffn": 32, "conv_channels": 8, "num_mel_bins": 6, "vocab_size": 12}
    built = HybridModel(HybridConfig(**sizes, chunk_size=chunk_size, conv_kernel=kernel))
    with torch.no_grad():  # wide weights: a leak must be seen
        for parameter in built.encoder.parameters():
            parameter.normal_(std=0.4)
    return built.eval()


def padded(rows: list[torch.Tensor], noise: float = 0.0) -> tuple[torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([len(row) for row in rows])
    feats = torch.full((len(rows), int(lengths.max()), rows[0].shape[1]), noise)
    for number, row in enumerate(rows):
        feats[number, : len(row)] = row
    return feats, lengths


def rows(lengths: list[int]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(length, 6, generator=generator) for length in lengths]


@pytest.mark.parametrize("chunk_size", [0, 1, 4])
@pytest.mark.parametrize("kernel", [1, 4, 7])
@pytest.mark.parametrize("noise", [0.0, 50.0])
def test_a_row_alone_equals_the_row_among_longer_ones(chunk_size: int, kernel: int, noise: float) -> None:
    encoder, clips = model(chunk_size, kernel), rows(LENGTHS)
    together, valid = encoder.encode(*padded(clips, noise))
    for number, clip in enumerate(clips):
        alone, alone_valid = encoder.encode(*padded([clip]))
        assert alone_valid.all()
        torch.testing.assert_close(together[number][valid[number]], alone[0], rtol=1e-4, atol=1e-5)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_mask_and_length_function_agree(lengths: list[int]) -> None:
    encoder = model()
    encoded, valid = encoder.encode(*padded(rows(lengths)))
    assert valid.sum(dim=1).tolist() == encoder.encoder_lengths(torch.tensor(lengths)).tolist()
    assert encoded.shape[1] == valid.sum(dim=1).max()
    assert (encoded[~valid] == 0).all()


def test_one_clip_has_as_many_frames_as_its_mask_counts() -> None:
    encoded, valid = model(chunk_size=4).encode(*padded(rows([53])))
    assert encoded.shape[1] == valid.sum() == 14


def test_a_chunk_hears_the_past_and_itself_but_not_the_next_chunk() -> None:
    encoder, (clip,) = model(chunk_size=4), rows([64])
    other = clip.clone()
    other[40:] += 1.0  # encoder frame 9 is the first that can hear feature frame 40: the third chunk
    first, second = (encoder.encode(*padded([row]))[0][0] for row in (clip, other))
    torch.testing.assert_close(first[:8], second[:8])
    assert not torch.allclose(first[8], second[8])
    changed_past = clip.clone()
    changed_past[:8] += 1.0
    assert not torch.allclose(encoder.encode(*padded([changed_past]))[0][0][-1], first[-1])


def test_the_whole_context_is_heard_without_chunks() -> None:
    encoder, (clip,) = model(), rows([64])
    other = clip.clone()
    other[60:] += 1.0
    first, second = (encoder.encode(*padded([row]))[0][0] for row in (clip, other))
    assert not torch.allclose(first[0], second[0])


def test_attention_mask_by_hand() -> None:
    mask = attention_mask(valid_frames(torch.tensor([3]), 4), 2)[0, 0]
    assert mask.int().tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]]


def test_positions_continue_where_they_left_off() -> None:
    device = torch.device("cpu")
    torch.testing.assert_close(positions(5, 3, 16, device), positions(0, 8, 16, device)[5:])
