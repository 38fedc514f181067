-- How far the texts of a site cite its pages: until births are shared out again, all alike.

ALTER TABLE pages ADD COLUMN cited INTEGER;
