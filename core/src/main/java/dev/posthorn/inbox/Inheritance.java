package dev.posthorn.inbox;

import java.util.List;

/**
 * What a member of a consumer finds when it begins with a partition.
 *
 * @param orphaned whether the member before it gave it up in no order: it may have died over an event
 * @param counted attempts that were written down and did not end in an effect or a dead letter
 */
public record Inheritance(boolean orphaned, List<Counted> counted) {

    public Inheritance {
        counted = List.copyOf(counted);
    }
}
