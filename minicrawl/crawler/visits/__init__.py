"""What the turn of a page brings about.

aliases     pages that stand for others
same_page   pages that say what others say: duplicates, soft 404s, sessions
merging     copies that are one page
alternates  pages in other languages: one is fetched first, the others last
max_depth   links beyond --max-depth
"""
