"""The trained correction of the ranking formula: regression trees as data, and calibration of scores."""
