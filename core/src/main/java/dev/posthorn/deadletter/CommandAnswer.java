package dev.posthorn.deadletter;

import java.time.Instant;

/** What the lane's owner says that became of a command. */
public record CommandAnswer(String text, Instant answeredAt) {}
