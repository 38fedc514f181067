-- What the pages read most likely hold, between both bounds: of earlier moments, the middle of these.

ALTER TABLE course ADD COLUMN about REAL NOT NULL DEFAULT 0.0;
UPDATE course SET about = (coverage + shown) / 2;
UPDATE meta SET value = json_set(
    value, '$.coverage', json_array(
        value ->> '$.coverage[0]', (value ->> '$.coverage[0]' + value ->> '$.coverage[1]') / 2, value ->> '$.coverage[1]'
    )
) WHERE key = 'run' AND json_array_length(value, '$.coverage') = 2;
