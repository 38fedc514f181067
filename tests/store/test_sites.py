"""Sites, doors and voices are read as they were written."""

from contextlib import closing
from pathlib import Path

from minicrawl.store.hosts import HostRow
from minicrawl.store.sites import DoorRow, SiteRow, VoiceRow
from minicrawl.store.writer import Writer


def test_sites_are_read_as_they_were_written(tmp_path: Path) -> None:
    sites = [SiteRow(1, "a.test", 0.75, 256, 2**40, 3), SiteRow(2, "b.test", 0.25, 7, 1, 0)]
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            writer.put(HostRow, [HostRow(host, f"h{host}.test", 0.0, 0.0) for host in range(3)])
            writer.put(SiteRow, sites)
            writer.save_sites_of_hosts([(2, 0), (1, 2)])
            writer.put(DoorRow, [DoorRow(7, True, True, 256), DoorRow(8, False, False, 300)])
            writer.add_voices([VoiceRow(7, 2, 3), VoiceRow(8, 1, 1)])
        assert writer.site_table.all() == sites
        assert writer.site_table.of_hosts().tolist() == [2, 0, 1]
        assert writer.site_table.doors().tolist() == [[7, 1, 1, 256], [8, 0, 0, 300]]
        assert writer.site_table.fronts() == {7}
        with writer.transaction():
            writer.put(HostRow, [HostRow(0, "h0.test", 1.0, 0.0)])
            writer.add_voices([VoiceRow(7, 2, -2), VoiceRow(8, 1, -1), VoiceRow(9, 1, 5)])
        assert writer.site_table.of_hosts()[0] == 2
        assert writer.site_table.voices().tolist() == [[7, 2, 1], [9, 1, 5]]
        with writer.transaction():
            writer.forget_sites()
        assert writer.site_table.all() == []
        assert writer.site_table.of_hosts().tolist() == [0, 0, 0]
        assert len(writer.site_table.voices()) == len(writer.site_table.doors()) == 0
