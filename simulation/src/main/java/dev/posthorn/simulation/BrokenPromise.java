package dev.posthorn.simulation;

import java.io.Serial;

/** What a simulation found. */
final class BrokenPromise extends Error {

    @Serial
    private static final long serialVersionUID = 1L;

    BrokenPromise(String what) {
        super(what);
    }
}
