<?php
// Receives webhooks of Lead Signals and verifies their signatures. PHP 8.0 or newer, no packages.
//
//   WEBHOOK_SECRETS="whsec_…" php -d post_max_size=16M -S 127.0.0.1:4100 receiver.php
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** One secret, or two with a space between while the secret is rotated. */
function keys(): array
{
    $keys = [];
    foreach (explode(' ', (string) getenv('WEBHOOK_SECRETS')) as $secret) {
        if (str_starts_with($secret, 'whsec_')) {
            $keys[] = base64_decode(substr($secret, strlen('whsec_')));
        }
    }
    return $keys;
}

/** Returns the reason why a post is not authentic; null when it is. $body takes the bytes as they arrived. */
function refusal(string $id, string $timestamp, string $signatures, string $body): ?string
{
    if ($id === '' || $timestamp === '' || $signatures === '') {
        return 'a signature header is missing';
    }
    if (preg_match('/\A[0-9]{1,12}\z/', $timestamp) !== 1) {
        return 'the timestamp is not a number';
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return 'the timestamp is too far off';
    }
    foreach (keys() as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        // During a rotation the header holds two signatures. One match is enough.
        foreach (explode(' ', $signatures) as $given) {
            if (hash_equals($expected, $given)) {
                return null;
            }
        }
    }
    return 'no signature matches';
}

if (keys() === []) {
    error_log("WEBHOOK_SECRETS takes the webhook's secret, whsec_…");
    http_response_code(500);
    return;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    return;
}
$body = (string) file_get_contents('php://input');
$reason = refusal(
    $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
    $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
    $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
    $body
);
if ($reason !== null) {
    http_response_code(400);
    echo $reason;
    return;
}
$events = json_decode($body, true);
// One event, or an array of them where the webhook takes batches. A CloudEvent has its type as 'type'.
foreach (isset($events[0]) ? $events : [$events] as $event) {
    // Store the event under $event['id'] before you answer. An id that you have stored already is a repetition.
    error_log(($event['event'] ?? $event['type']) . " {$event['id']}");
}
http_response_code(204);
