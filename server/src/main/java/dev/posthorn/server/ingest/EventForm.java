package dev.posthorn.server.ingest;

/** How an event is written as a JSON object. */
interface EventForm {

    FormFieldNames names();

    /** Reads one event, field by field. */
    Reading begin(EventDraft draft, JsonBody at);

    /** An event that is being read. */
    interface Reading {

        /** Takes a field; the parser stands on its value. */
        void field(String name, JsonBody at);

        /** After its last field. */
        void end(JsonBody at);
    }
}
