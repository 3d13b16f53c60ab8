"""What trainer and diagnose both need. Imports neither torch nor any other package of this project."""
