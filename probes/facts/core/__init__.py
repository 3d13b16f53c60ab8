"""What every measurement needs. Imports no topic."""
