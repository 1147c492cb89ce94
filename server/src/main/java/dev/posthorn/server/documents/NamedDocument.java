package dev.posthorn.server.documents;

/** Something that people keep under a name, and whose states are counted. */
public interface NamedDocument {

    String name();

    /** Counts on with every change, so that nobody changes what they have not seen. */
    long revision();
}
