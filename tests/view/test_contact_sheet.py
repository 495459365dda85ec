"""`chetaev list --pictures`: a picture of every model that matches, and all on one sheet."""

import pytest
from PIL import Image

from chetaev.cli import run
from chetaev.view.contact_sheet import CAPTION, SIZE, pictures


def test_pictures_of_what_matches(tmp_path, capsys):
    assert run(["list", "snakeboard", "--pictures", str(tmp_path / "drawn")]) == 0
    assert "1 pictures and contact-sheet.png" in capsys.readouterr().out
    assert sorted(f.name for f in (tmp_path / "drawn").iterdir()) == ["contact-sheet.png", "snakeboard.png"]
    with Image.open(tmp_path / "drawn" / "contact-sheet.png") as sheet:
        assert sheet.size == (SIZE[0], SIZE[1] + CAPTION)


def test_what_was_not_drawn_by_us_is_kept(tmp_path, capsys):
    (tmp_path / "snakeboard.png").write_bytes(b"mine")
    assert run(["list", "snakeboard", "--pictures", str(tmp_path)]) == 2
    assert (tmp_path / "snakeboard.png").read_bytes() == b"mine"
    assert run(["list", "snakeboard", "--pictures", str(tmp_path), "--force"]) == 0


@pytest.mark.slow
def test_every_model_of_the_gallery_has_a_picture(tmp_path):
    import chetaev as ch

    assert pictures(ch.gallery(), tmp_path) == {}
    assert len(list(tmp_path.iterdir())) == len(ch.gallery()) + 1
