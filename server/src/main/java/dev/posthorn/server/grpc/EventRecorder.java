package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.problem.Problem;
import java.util.List;

/** Records events, all or none; the hub's is {@link dev.posthorn.server.ingest.Ingest#record}. */
@FunctionalInterface
interface EventRecorder {

    List<Recorded> record(List<Event> events);

    /** Is told of what was refused before it could be recorded. */
    default void refused(Problem problem) {}

    /** The same on behalf of this caller. */
    default EventRecorder by(Caller caller) {
        return this;
    }
}
