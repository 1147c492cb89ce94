package dev.posthorn.spring;

/** What an application does for its events. */
enum Role {
    /** Records; another process delivers. */
    WRITER,
    /** Delivers what others record. */
    RELAY,
    /** Records and delivers. */
    BOTH;

    boolean delivers() {
        return this != WRITER;
    }
}
