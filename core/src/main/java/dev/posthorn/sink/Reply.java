package dev.posthorn.sink;

/**
 * What a receiver said, for people who look for the cause.
 *
 * @param code as its protocol has it, such as an HTTP status
 * @param text the beginning of what it said
 */
public record Reply(int code, String text) {}
