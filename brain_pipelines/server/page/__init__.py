"""The page of `brain serve`: what is in a memory and why it answers, for people, as plain HTML from the same process.

/page/…    signed in by a cookie that is valid below this path only; the routes of programs take keys, never the cookie
"""
