package dev.posthorn.kafka.consumer;

import java.util.List;

/** The head of a key's queue, for one thread to work on. A handler may be given those of several keys at once. */
record RecordBatch(KeyQueue queue, List<FetchedRecord> records) {}
