package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The payload of an order event.
 *
 * @param run which run of the demo recorded it; with {@code --data} an earlier run may have left some behind
 * @param change counts the committed changes of one customer's orders, without a gap: how the consumer knows the order
 */
record OrderChange(String run, String customer, String status, long change) {

    private static final Pattern JSON = Pattern.compile(
            "\\{\"run\":\"([^\"]*)\",\"customer\":\"([^\"]*)\",\"status\":\"([^\"]*)\",\"change\":(\\d+)}");

    /** None of the values holds a character that JSON would want escaped. */
    String json() {
        return "{\"run\":\"%s\",\"customer\":\"%s\",\"status\":\"%s\",\"change\":%d}"
                .formatted(run, customer, status, change);
    }

    static OrderChange parse(byte[] payload) {
        String text = new String(payload, UTF_8);
        Matcher json = JSON.matcher(text);
        if (!json.matches()) {
            throw new IllegalArgumentException("not the payload of an order event: " + text);
        }
        return new OrderChange(json.group(1), json.group(2), json.group(3), Long.parseLong(json.group(4)));
    }
}
