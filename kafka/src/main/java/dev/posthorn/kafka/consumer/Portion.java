package dev.posthorn.kafka.consumer;

import java.util.List;

/** The head of a line, for one thread to work on. */
record Portion(Line line, List<Taken> records) {}
