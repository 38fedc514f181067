"""Which links end a session or act, and which only speak of that."""

import pytest

from minicrawl.parts.logins.words import acting_links, acting_name, acting_words

ACTING = """
    /logout  /accounts/logout/?next=/  /users/sign_out  /logout.php  /%E7%99%BB%E5%87%BA  /cerrar-sesion  /user/log-off
    /w/index.php?title=Special:UserLogout&returnto=Main  /wp-login.php?action=logout  /doku.php?id=start&do=logout
    /wyloguj  /admin/auth/user/1/delete/  /delete/12  /posts/12/remove  /cart/remove/4fe2a9c1d0  /newsletter/unsubscribe
    /comment.php?c=3&action=approvecomment  /themes.php?action=activate&stylesheet=x  /edit?delete=1
    /Ticket/Display.html?Action=Take&id=25  /ticket.php?do=close&t=3  /tickets/12/close  /comment/5/like/
    /index.php?title=Rose&action=protect  /go?to=3&_wpnonce=4808470d71  /go?csrf_token=a1b2c3
    /mod/x.php?sesskey=abc  /user/delete-account
"""
READ = """
    /  /docs/delete.html  /docs/git-remove.md  /shop/logout-hoodie  /how-to-log-out  /blog/how-to-delete-your-account
    /search?q=delete  /?s=log+out  /wiki/Sign_language  /delete/the/article  /admin/auth/user/add/  /removed  /exit
    /list?page_token=4808470d71  /list?token=  /wiki/Undeleted_scenes  /docs/logging-out  /post.php?post=3&action=edit
    /2012/11/  /12/34  /start  /docs/watch  /shop/close/12  /2012/11/start-here  /x?do=show  /list?action=stats
    /Ticket/Update.html?Action=Respond&id=3  /x?name=take  /x?q=close
"""


def links_of(table: str) -> list[str]:
    return [link.strip() for link in table.strip().replace("\n", "|").split("|")]


@pytest.mark.parametrize("path", ACTING.split())
def test_acting_urls(path: str) -> None:
    assert acting_name(f"https://a.test{path}") is not None


@pytest.mark.parametrize("path", READ.split())
def test_urls_that_only_speak_of_acting(path: str) -> None:
    assert acting_name(f"https://a.test{path}") is None


WORDS = """
    Log out|LOGOUT| Sign  out |Abmelden|Se déconnecter|Cerrar sesión|Sair|Esci|Uitloggen|Logga ut|Log ud|Logg ut
    Kirjaudu ulos|Wyloguj się|Odhlásit|Выйти|Вийти|Αποσύνδεση|Çıkış yap|התנתק|تسجيل الخروج|लॉग आउट|ออกจากระบบ
    Đăng xuất|Keluar|ログアウト|退出登录|로그아웃|Kijelentkezés
    Delete|Löschen|Supprimer|Eliminar|Удалить|削除|Unsubscribe
"""


@pytest.mark.parametrize("words", links_of(WORDS))
def test_words_of_acting_links(words: str) -> None:
    assert acting_words(words)


BUTTONS = """
    Pin topic /pin/4|Follow /people?follow=3|Remove from my list /x/4|Mark all as read /x|Run cron manually /runcron
    Become this user /su/2|Start export /export/start|Vote up /vote?up=3|Sync now /repo/sync|Like /like/7
    Mark topics read /f?id=2&mark=topics|Cerrar este tema /t/3|Dieses Thema schließen /t/3|Rebuild index /search/rebuild
"""
NAMES = """
    Follow /people/3|Follow us /follow|Archive 2012 /archive/2012|Remove stains /x/4|Read all marks /x|Start /start
    Close to the edit /blog/17-close-to-the-edit|Watch this space /a/watch-this-space|Accept payments /c/accept-payments
    Join now /join|Run tests /docs/run|Star maps /maps/star|Send money abroad /help/send|Vota 2024 /voti/vota-2024
    Delete key /topic/4|Folgen des Wandels /artikel/3|Install /docs/install|Spam statistics /stats/spam
"""


@pytest.mark.parametrize("link", [*links_of(BUTTONS), *links_of(NAMES)])
def test_words_of_links_that_say_what_a_button_does(link: str) -> None:
    words, path = link.rsplit(" ", 1)
    assert acting_words(words, f"https://a.test:8080{path}") is (link in links_of(BUTTONS))


@pytest.mark.parametrize(
    ("links", "buttons", "acting"),
    [
        ("/u/3/f Follow|/u/4/f Follow|/u/3 Ann", "", "/u/3/f /u/4/f"),  # at each item of a list
        ("/u/3 Follow|/u/4 Follow|/u/5 Ann", "", ""),
        ("/v/3 Watch|/v/4 Watch", "", ""),
        ("/t/3 Follow this path|/t/4 Rust", "", ""),  # titles of topics
        ("/t/3 Follow this path|/t/4 Close to the edit|/t/5 Take all", "", ""),
        ("/t/3/w Follow this topic|/t/4 Rust", "", "/t/3/w"),
        ("/g/3 Archive team", "/g/3", "/g/3"),
        ("/g/3 Thema beobachten|/about Send feedback|/g/4 Team", "/g/3 /about", ""),
        ("/z/3?k=9 Thanks|/z/3 Read", "/z/3?k=9!", "/z/3?k=9"),
        ("/t/3 Ann|/t/4 Rust", "/t/3!", ""),
    ],
)
def test_links_of_a_page_tell_of_each_other(links: str, buttons: str, acting: str) -> None:
    texts = dict(link.split(" ", 1) for link in links.split("|"))
    assert " ".join(acting_links(texts, {each.strip("!"): each.endswith("!") for each in buttons.split()})) == acting


@pytest.mark.parametrize(
    "words", ["", "Log out of all devices: how it works", "Delete key", "Removal", "Salida", "Exit signs in museums"]
)
def test_words_that_only_speak_of_acting(words: str) -> None:
    assert not acting_words(words)
