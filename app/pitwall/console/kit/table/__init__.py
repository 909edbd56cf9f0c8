"""The console's one table: declare its columns, give it rows; it sorts, filters, copies and explains itself.

    columns = (Column("Run", lambda run: run.name), Column("Score", score_text, sort=score_of, number=True))
    table = Table(look, TableModel(columns, key=lambda run: run.id), "Runs", "Enter opens a run")
    table.opened.connect(open_run)
    table.show_rows(runs)

`paged.PagedModel` is the model for rows that are read a page at a time.
"""
