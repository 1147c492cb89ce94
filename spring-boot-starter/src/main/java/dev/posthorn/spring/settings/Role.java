package dev.posthorn.spring.settings;

/** What an application does for its events. */
public enum Role {
    /** Records; another process delivers. */
    WRITER,
    /** Delivers what others record. */
    RELAY,
    /** Records and delivers. */
    BOTH;

    public boolean delivers() {
        return this != WRITER;
    }
}
