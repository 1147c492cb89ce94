package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;

/** What those share who work for a consumer: the thread that polls Kafka, those that call the handler, and a replay. */
record ConsumerParts(
        String name, Consumption consumption, KeyQueues queues, CrashTracker crashTracker, ConsumerListener listener) {}
