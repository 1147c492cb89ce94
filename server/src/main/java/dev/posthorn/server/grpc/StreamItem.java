package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.problem.Excerpt;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.v1.PublishAck;
import org.jspecify.annotations.Nullable;

/** One event of a stream, from its arrival to its acknowledgement. */
final class StreamItem {

    /** As long as an id may be: one that is longer is told back only so that it is known again. */
    private static final int LONGEST_ID = 255;

    private final long position;
    private final String givenId;
    private final int bytes;
    private final @Nullable Event event;
    private @Nullable PublishAck ack;

    private StreamItem(long position, String givenId, int bytes, @Nullable Event event) {
        this.position = position;
        this.givenId = givenId;
        this.bytes = bytes;
        this.event = event;
    }

    static StreamItem toRecord(long position, String givenId, int bytes, Event event) {
        return new StreamItem(position, givenId, bytes, event);
    }

    /** One that is refused as it arrives, of which nothing is kept but that. */
    static StreamItem refused(long position, String givenId, Problem problem) {
        StreamItem item = new StreamItem(position, Excerpt.of(givenId, LONGEST_ID), 0, null);
        item.refuse(problem);
        return item;
    }

    int bytes() {
        return bytes;
    }

    /** Null once it was refused on arrival. */
    @Nullable
    Event event() {
        return event;
    }

    /** Null until it is known what became of it. */
    @Nullable
    PublishAck ack() {
        return ack;
    }

    void recorded(Recorded recorded) {
        ack = PublishAck.newBuilder()
                .setPosition(position)
                .setEventId(recorded.id())
                .setDuplicate(recorded.duplicate())
                .build();
    }

    void refuse(Problem problem) {
        ack = PublishAck.newBuilder()
                .setPosition(position)
                .setEventId(givenId)
                .setRefusal(GrpcProblems.refusal(problem))
                .build();
    }
}
