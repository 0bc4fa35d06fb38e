"""The answer about one transaction: counts and lines as every action gives them."""

from workroom.tools.transaction_answer import counts, plan_data


def test_counts_in_a_few_words(house):
    house.write("a.txt", "a\n")
    one = house.plan({"type": "rewrite", "path": "a.txt", "content": "b\nc\n"})
    assert counts(one) == "1 path, +2 -1 lines"
    two = house.plan({"type": "create", "path": "d/b", "content": "b\n"})
    assert counts(two) == "2 paths, +1 -0 lines"


def test_more_files_than_are_shown_are_counted(house):
    planned = house.plan(*({"type": "mkdir", "path": f"d{n}"} for n in range(201)))
    data = plan_data(planned, "planned", "")
    assert (len(data["files"]), data["fileCount"], data["filesTruncated"]) == (200, 201, True)
