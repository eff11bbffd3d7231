"""The app: same sentences as the command line, one job at a time, for nobody else, and gone in the end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from kernelwise.app.columns import columns_of
from kernelwise.app.server import file_name, options_of

from ..tables.test_raw_tables import workbook
from .conftest import Served, table

JSON = {"Content_Type": "application/json"}


def tune(served, **chosen):
    return served.ask("POST", f"tune?table={served.number}", json.dumps(chosen), **JSON)


def test_from_a_table_to_predictions(served):
    code, told = served.drop("my table.csv", table())
    assert (code, told["name"], told["rows"]) == (200, "my_table.csv", "60 rows, 3 columns")
    assert [column["name"] for column in told["columns"]] == ["size", "noise", "kind"]
    assert told["target"] == "kind"
    assert tune(served, target=2)[0] == 200
    run = served.wait()
    assert run["state"] == "done"
    assert run["printed"].startswith("Predicting 'kind' (2 classes) from my_table.csv\n")
    assert "correct on rows that the model was not trained on" in run["printed"]
    code, page = served.ask("GET", "files/report.html")
    assert (code, page[:15]) == (200, b"<!DOCTYPE html>")
    assert str(served.folder).encode() not in page  # of which the user knows nothing
    assert b"kernelwise tune my_table.csv --target=kind --model model.kw" in page
    assert served.headers["content-security-policy"].startswith("sandbox allow-scripts;")
    code, told = served.drop("new.csv", table(8, seed=1), "rows")
    assert (code, told["state"], len(told["first"])) == (200, "done", 9)
    assert told["first"][0] == ["size", "noise", "kind", "prediction", "p(large)", "p(small)"]
    code, text = served.ask("GET", "files/predictions.csv")
    assert (code, len(text.splitlines())) == (200, 9)
    assert served.ask("GET", "files/model.kw")[0] == 200


def test_the_sheet_that_fits_is_predicted_with_its_own_columns(served, tmp_path):
    served.drop("t.csv", table())
    tune(served, target=2, effort="fast")
    assert served.wait()["state"] == "done"
    rows = [["size", "noise", "prediction", "a,b"], [1.5, 0.1, "old", "x"], [-1.5, 0.2, "old", "y"]]
    workbook(tmp_path / "new.xlsx", rows, People=[["name", "age"], ["Ann", 3.0], ["Bob", 4.0]])
    told = served.drop("new.xlsx", (tmp_path / "new.xlsx").read_bytes(), "rows")[1]
    assert told["state"] == "done", told["said"]
    assert told["first"][0][:5] == ["size", "noise", "prediction", "a,b", "prediction"]
    assert (told["kept"], told["first"][1][3:5]) == (4, ["x", "large"])


def test_numbers_have_no_probabilities(served):
    served.drop("t.csv", table())
    tune(served, target=0, task="regression", effort="fast", ignore=[1])
    assert served.wait()["printed"].startswith("Predicting 'size' (a number) from t.csv")
    assert served.drop("new.csv", table(4), "rows")[1]["first"][0] == ["size", "noise", "kind", "prediction"]


def test_the_users_mistakes_are_sentences(fresh):
    assert fresh.drop("t.csv", b"")[1] == {"error": "t.csv is empty. Give a file that has rows."}
    assert tune(fresh, target=0)[1] == {"error": "There is no table yet. Drop a file first."}
    assert fresh.drop("n.csv", table(), "rows")[1] == {"error": "There is no model yet. Train one first."}
    fresh.drop("t.csv", b"a,kind\n1,x\n2,x\n3,x\n")
    tune(fresh, target=1)
    run = fresh.wait()
    assert run["state"] == "refused"
    assert "only one class" in run["said"][-1]


def test_other_choices_are_refused(fresh):
    fresh.drop("t.csv", table())
    others = [
        '{"target": 9}',
        '{"target": "kind"}',
        '{"model": "/x"}',
        '{"effort": "--x"}',
        "[1]",
        "nonsense",
        "[" * 100_000,
    ]
    for chosen in others:
        code, told = fresh.ask("POST", "tune", chosen, **JSON)
        assert (code, "Load it again" in told["error"]) == (400, True)
    assert fresh.ask("GET", "run")[1] is None


def test_strangers_are_refused(served):
    own = served.address
    token = own.rstrip("/")
    served.address = token[:-1] + ("y" if token.endswith("x") else "x") + "/"
    assert served.ask("GET", "run")[0] == 404
    served.address = own
    host = own.split("/")[2]
    assert served.ask("GET", "run")[0] == 200
    assert served.ask("GET", "run", Origin=f"http://{host}")[0] == 200
    assert served.ask("GET", "run", Origin="http://127.0.0.1:1")[0] == 403
    assert served.ask("GET", "run", Origin="null")[0] == 403
    assert served.ask("GET", "run", Sec_Fetch_Site="cross-site")[0] == 403
    assert (
        served.ask("GET", "run", Host="example.org")[0] == 400
    )  # a name that was made to mean this computer
    assert served.ask("GET", "")[0] == 200
    assert "'unsafe-inline'" not in served.headers["content-security-policy"]
    assert served.headers["referrer-policy"] == "no-referrer"
    for path in ("files/..%2F..%2Fetc%2Fpasswd", "files/table", "files/x"):
        assert served.ask("GET", path)[0] == 404


def test_one_command_at_a_time_and_a_stop_that_loses_nothing(served):
    served.drop("t.csv", table(3000))
    assert tune(served, target=2, effort="best")[0] == 200
    assert tune(served, target=2)[0] == 409
    code, told = served.drop("u.csv", table())
    assert (code, told["error"]) == (409, "A command is running already. Wait for its end, or stop it.")
    code, run = served.ask("POST", "stop")
    assert (code, run["state"]) == (200, "stopped")
    assert served.drop("u.csv", table())[0] == 200


def test_a_page_that_shows_another_table_cannot_choose_columns(fresh):
    fresh.drop("t.csv", table())
    shown = fresh.number
    fresh.drop("u.csv", table(other=["b", "c"] * 30))
    fresh.number = shown
    code, told = tune(fresh, target=2)
    assert (code, told["error"].startswith("Another table was dropped since")) == (409, True)
    assert fresh.ask("GET", "run")[1] is None


def test_a_file_that_arrives_during_a_command_takes_nothing_from_it(served):
    served.drop("t.csv", table(3000))
    parts = urlsplit(served.address)
    slow = HTTPConnection(parts.hostname, parts.port, timeout=60)
    slow.putrequest("PUT", f"{parts.path}table?name=u.csv")
    data = table()
    slow.putheader("Content-Length", str(len(data)))
    slow.endheaders(data[:100])
    while not list(served.folder.glob("*/table/.*")):
        pass
    assert tune(served, target=2, effort="best")[0] == 200
    slow.send(data[100:])
    assert slow.getresponse().status == 409
    slow.close()
    assert [path.name for path in served.folder.glob("*/table/*.csv")] == ["t.csv"]
    served.ask("POST", "stop")


def test_a_browser_that_goes_during_an_upload(tmp_path):
    served = Served(tmp_path)
    parts = urlsplit(served.address)
    slow = HTTPConnection(parts.hostname, parts.port, timeout=60)
    slow.putrequest("PUT", f"{parts.path}table?name=u.csv")
    slow.putheader("Content-Length", "1000")
    slow.endheaders(b"a,b")
    while not list(tmp_path.glob("*/table/.*")):
        pass
    slow.close()
    while list(tmp_path.glob("*/table/.*")):
        pass
    served.process.send_signal(signal.SIGINT)
    assert served.process.stderr.read() == ""  # no traceback
    assert served.end() == 0


def test_a_dropped_file_is_never_run(served):
    served.drop("numpy.py", b"raise SystemExit('run by Python'),kind\n" + b"1,x\n2,y\n" * 20)
    assert tune(served, target=1, effort="fast")[0] == 200
    run = served.wait()
    assert "run by Python" not in run["said"]
    assert run["printed"].startswith("Predicting 'kind'"), run


def test_a_command_that_cannot_be_started_leaves_the_app_free(served):
    served.drop("t.csv", b"w" * 100_000 + b",v,kind\n" + b"1,3,x\n2,2,y\n" * 20)
    for _ in range(2):
        assert tune(served, target=2, ignore=[0] * 40)[1]["state"] == "refused"
    assert "cannot be started" in served.wait()["said"][-1]
    assert served.drop("t.csv", table())[0] == 200


def test_the_folder_is_not_named(served):
    told = served.drop("t.csv", "größe,kind\n1,x\n2,y\n".encode("latin-1"))[1]
    assert told["notes"][0].startswith("t.csv is not UTF-8")


def test_a_large_file_is_refused(tmp_path):
    served = Served(tmp_path, "--most", "0.01")
    code, told = served.drop("t.csv", table(2000))
    assert (code, told["error"].startswith("The file is larger than 0.01 MB.")) == (413, True)
    assert served.drop("t.csv", table(20))[0] == 200
    served.end()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left(tmp_path, by):
    served = Served(tmp_path)
    served.drop("t.csv", table(3000))
    tune(served, target=2, effort="best")
    assert list(tmp_path.glob("kernelwise-*"))
    assert served.end(by) == 0
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken(served, tmp_path):
    port = served.address.split(":")[2].split("/")[0]
    done = subprocess.run(
        [sys.executable, "-m", "kernelwise", "app", "--no-browser", "--port", port],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == f"kernelwise: Port {port} cannot be used: Address already in use. Leave out --port.\n"
    )


def test_names_of_files():
    assert file_name("titanic.csv") == "titanic.csv"
    assert file_name("../../etc/pass wd") == "pass_wd"
    assert file_name("C:\\x\\--model.csv") == "model.csv"
    assert file_name("model.kw") == "my_model.kw"
    assert file_name(".") == file_name("") == "table.csv"
    assert file_name("Report.html") == "my_Report.html"  # the same on some disks
    assert len(file_name("\U00020000" * 300 + ".csv").encode()) < 256
    assert file_name("ä" * 300 + ".xlsx").endswith(".xlsx")


def test_columns_by_name_or_by_number():
    assert options_of('{"ignore": [0]}', ["a,b", "1"]) == ["--ignore=+1"]
    assert options_of('{"ignore": [0]}', ["a,b", "1", "+1"]) == ["--ignore=-3"]
    names = ["a", "b,c", " d", "e", "e"]
    options = options_of('{"target": 0, "ignore": [1, 2], "use": [4]}', names)
    assert options == ["--target=a", "--ignore=2", "--ignore=3", "--use=5"]


def test_what_will_be_done_to_columns(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{k},{2.5 * k % 7},2024-01-{1 + k % 28:02},{'red' if k % 3 else 'blue'},x" for k in range(40)]
    path.write_text("id,price,day,colour,same\n" + "\n".join(rows))
    told = columns_of(path)
    kinds = {column["name"]: column["kind"] for column in told["columns"]}
    assert kinds == {
        "id": "numbers",
        "price": "numbers",
        "day": "dates",
        "colour": "2 words",
        "same": "1 word",
    }
    left_out = {column["name"]: column["left_out"] for column in told["columns"]}
    assert left_out["id"] == "numbers the rows"
    assert left_out["same"] == "has one value only"
    assert left_out["price"] is None
    assert [column["name"] for column in told["columns"] if column["is_judged"]] == ["day"]


@pytest.mark.parametrize("name", ["a. --b", "u; use --x"])
def test_only_advice_is_cut_from_notes(tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_text(f"{name},{name},kind\n1,2,x\n2,3,y\n")
    assert columns_of(path)["notes"] == [
        f"Two columns are called {name!r}; column 2 is now called '{name} (2)'."
    ]
    path.write_text("size,1991,kind\n" + "1,2,x\n2,3,y\n" * 9)
    assert columns_of(path)["notes"] == [f"{path}: line 1 was read as names of columns."]


def test_a_saved_model_is_opened_again(fresh):
    fresh.drop("t.csv", table())
    tune(fresh, target=2, effort="fast")
    fresh.wait()
    saved = fresh.ask("GET", "files/model.kw")[1]
    assert fresh.drop("model.kw", b"PK nonsense")[0] == 400
    assert fresh.drop("new.csv", table(4), "rows")[1] == {"error": "There is no model yet. Train one first."}
    assert fresh.drop("mine.kw", saved) == (200, {"model": "mine.kw predicts 'kind'."})
    told = fresh.drop("new.csv", table(4), "rows")[1]
    assert told["first"][0][-3:] == ["prediction", "p(large)", "p(small)"]
    assert tune(fresh, target=2)[1] == {"error": "There is no table yet. Drop a file first."}
