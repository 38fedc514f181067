-- What is known beside a text can be asked for. Of earlier texts that is the language; the rest is not known.

ALTER TABLE texts ADD COLUMN language TEXT;
ALTER TABLE texts ADD COLUMN author TEXT;
ALTER TABLE texts ADD COLUMN site_name TEXT;
ALTER TABLE texts ADD COLUMN licence TEXT;
ALTER TABLE texts ADD COLUMN published TEXT;
ALTER TABLE texts ADD COLUMN modified TEXT;
UPDATE texts SET language = (
    SELECT lower(substr(tag, 1, instr(tag || '-', '-') - 1))
    FROM (
        SELECT replace(iif(json_valid(known), json_extract(known, '$.language'), NULL), '_', '-') AS tag
        FROM (
            SELECT CAST(substr(packed, 1, instr(packed, x'0A') - 1) AS TEXT) AS known
            FROM text_records WHERE text_records.id = texts.text
        )
    )
);
