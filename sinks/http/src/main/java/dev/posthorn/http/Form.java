package dev.posthorn.http;

/** How an event is put into a request. */
public enum Form {
    /** As a CloudEvent in binary form: the payload as it is, everything else in {@code ce-} headers. */
    BINARY,
    /** As a CloudEvent in structured form: one JSON document that holds the payload too. */
    STRUCTURED,
    /** The payload alone. */
    PLAIN
}
