"""The lab's widgets: training curves, histograms, trends, clips and progress of game sense modules."""
