package dev.posthorn.inbox;

import dev.posthorn.inbox.ConsumerListener.Partition;
import java.util.UUID;

/**
 * An attempt that is written down before it is made.
 *
 * @param attempts how many there are, this one among them
 * @param alone whether the consumer's process has nothing else in hand meanwhile
 */
public record Counted(Partition partition, long offset, UUID eventId, int attempts, boolean alone) {}
