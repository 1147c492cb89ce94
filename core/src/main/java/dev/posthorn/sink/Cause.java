package dev.posthorn.sink;

/** An error message without what differs from one event to the next. */
public final class Cause {

    private Cause() {}

    public static String of(String message) {
        return message.replaceAll("[0-9]+", "#");
    }
}
