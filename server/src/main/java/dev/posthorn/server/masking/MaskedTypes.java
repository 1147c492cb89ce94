package dev.posthorn.server.masking;

/** Knows what is masked. */
@FunctionalInterface
public interface MaskedTypes {

    /** What is masked in the payloads of a type; {@link Masks#NONE} if it is unknown. */
    Masks masks(String type);
}
