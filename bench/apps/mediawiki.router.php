<?php
$path = parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH);
if ($path !== "/" && !str_starts_with($path, "/index.php") && is_file(%r . $path)) return false;
error_log("{$_SERVER['REQUEST_METHOD']} {$_SERVER['REQUEST_URI']} ");
if ($path === "/") { header("Location: /index.php/Main_Page", true, 301); exit; }
if (!str_starts_with($path, "/index.php")) { http_response_code(404); exit("Not found"); }
$_SERVER["SCRIPT_NAME"] = "/index.php"; $_SERVER["PATH_INFO"] = substr($path, 10);
chdir(%r); require "index.php";
