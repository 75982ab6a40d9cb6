"""What can be asked of rows, the rules that turn posteriors into labels, and the answers.

It uses data and streams, and knows models only by the questions that they answer.
"""
