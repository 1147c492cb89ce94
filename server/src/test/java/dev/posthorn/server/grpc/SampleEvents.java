package dev.posthorn.server.grpc;

import com.google.protobuf.ByteString;
import dev.posthorn.v1.Event;

/** Events to publish. */
final class SampleEvents {

    private SampleEvents() {}

    static Event.Builder event() {
        return Event.newBuilder()
                .setEventType("user.registered")
                .setSourceService("accounts")
                .setPayload(ByteString.copyFromUtf8("{}"))
                .setContentType("application/json");
    }

    static Event event(String id) {
        return event().setEventId(id).build();
    }

    /** One that is refused for want of a type. */
    static Event bad(String id) {
        return event().setEventId(id).clearEventType().build();
    }
}
