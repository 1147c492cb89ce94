package dev.posthorn.server.grpc;

import dev.posthorn.event.Event;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.ingest.Ingest;
import dev.posthorn.server.ingest.Recorded;
import dev.posthorn.server.metrics.IngestMetrics.Protocol;
import dev.posthorn.server.problem.Problem;
import java.util.List;

/** The hub's own recorder. */
record IngestRecorder(Ingest ingest, Caller caller) implements EventRecorder {

    @Override
    public List<Recorded> record(List<Event> events) {
        return ingest.record(events, caller, Protocol.GRPC);
    }

    @Override
    public void refused(Problem problem) {
        ingest.refused(problem, Protocol.GRPC);
    }

    @Override
    public EventRecorder by(Caller caller) {
        return new IngestRecorder(ingest, caller);
    }
}
