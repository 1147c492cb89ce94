package dev.posthorn.server.documents;

import java.util.stream.Stream;

/** A document some of whose fields have to be there. */
public interface RequiredFields {

    /** Those that are not, as they are written in it. */
    Stream<String> missing();
}
