"""The store: one SQLite file, or a folder with one for each partition of a crawl.

declaration  how a table is declared, once              database       opening the file, and its errors
schema       its version, and all definitions           upgrades       steps from earlier schemas
tables       queries of one connection                  views.sql      views and triggers
reader       the read side in one object                writer         the write side in one object
folder       the stores of a crawl in partitions        united         a partition, ranked among all
texts        kept texts of pages                        questions      questions in SQL, and --where

Subjects, each with its rows, tables and questions:
pages        pages, their answers and states            links          outlinks, and links that are not followed
ranks        pages by importance and other rankings     sites          sites, doors, links from other sites
hosts        hosts, robots.txt files                    sitemaps       sitemaps, and URLs that wait in them
recognised   fingerprints, soft 404s, refused links     refreshes      the refresh schedule, changes of pages
requisites   files that pages need                      archived       answers in the archive
transfers    what passes between partitions

spill        arrays on disk                             gather         one store of a folder of partitions
soundness    integrity checks                           upkeep         backup and compact
damaged_store  what can be read of a damaged store
"""
