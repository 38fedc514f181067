<?php
define('WP_INSTALLING', true); $_SERVER['HTTP_HOST'] = '127.0.0.1';
require 'wp-load.php'; require_once 'wp-admin/includes/upgrade.php'; require_once 'wp-admin/includes/taxonomy.php';
wp_install('Ferry', 'keeper', 'keeper@example.org', true, '', 'a-long-password');
$kinds = []; for ($n = 0; $n < 8; $n++) $kinds[] = wp_create_category("Kind $n");
foreach (json_decode(stream_get_contents(STDIN), true) as $n => $post) {
    $id = wp_insert_post(['post_title' => $post[0], 'post_content' => $post[1], 'post_status' => 'publish',
        'post_author' => 1, 'post_category' => [$kinds[$n % 8]], 'tags_input' => [$post[2]],
        'post_date' => date('Y-m-d H:i:s', 1700000000 + 86400 * $n)]);
    wp_insert_comment(['comment_post_ID' => $id, 'comment_author' => 'A reader', 'comment_content' => $post[3]]);
}
foreach (get_posts(['numberposts' => -1]) as $post) $ids[] = $post->ID;
echo json_encode($ids);
