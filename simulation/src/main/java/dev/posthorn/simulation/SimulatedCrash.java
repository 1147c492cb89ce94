package dev.posthorn.simulation;

import java.io.Serial;

/** The end of an instance in the middle of whatever it was doing. An error, so that nothing on the way stops it. */
final class SimulatedCrash extends Error {

    @Serial
    private static final long serialVersionUID = 1L;

    SimulatedCrash(String where) {
        super(where, null, false, false);
    }
}
