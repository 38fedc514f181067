<?php
define('DB_NAME', 'blog'); define('DB_USER', '%s'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%s');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', 'http://127.0.0.1:' . file_get_contents(__DIR__ . '/port')); define('WP_SITEURL', WP_HOME);
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
