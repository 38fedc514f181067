"""Which links end a session or act, and which only speak of that."""

import pytest

from minicrawl.parts.logins.words import acting_name, acting_words

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


@pytest.mark.parametrize("words", [words for line in WORDS.strip().splitlines() for words in line.strip().split("|")])
def test_words_of_acting_links(words: str) -> None:
    assert acting_words(words)


BUTTONS = "Pin topic /pin/4|Follow /people?follow=3|Remove from my list /x/4|Mark all as read /x"
NAMES = "Follow /people/3|Follow us /follow|Archive 2012 /archive/2012|Remove stains /x/4|Read all marks /x"


@pytest.mark.parametrize("link", [*BUTTONS.split("|"), *NAMES.split("|")])
def test_words_of_links_that_say_what_a_button_does(link: str) -> None:
    words, path = link.rsplit(" ", 1)
    assert acting_words(words, f"https://a.test{path}") is (link in BUTTONS)


@pytest.mark.parametrize(
    "words", ["", "Log out of all devices: how it works", "Delete key", "Removal", "Salida", "Exit signs in museums"]
)
def test_words_that_only_speak_of_acting(words: str) -> None:
    assert not acting_words(words)
