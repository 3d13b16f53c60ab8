"""What the comparison with other tools needs: classic bugs with their healthy twins, and one adapter for each tool."""
