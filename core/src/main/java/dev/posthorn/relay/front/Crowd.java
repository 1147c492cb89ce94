package dev.posthorn.relay.front;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A set in the order in which its members came. Nearly always there is one, who then takes no set's room. */
final class Crowd<E> {

    private @Nullable E only;
    private @Nullable Set<E> many;

    boolean add(E member) {
        if (many != null) {
            return many.add(member);
        }
        if (only == null) {
            only = member;
            return true;
        }
        if (only.equals(member)) {
            return false;
        }
        many = new LinkedHashSet<>(4);
        Collections.addAll(many, only, member);
        only = null;
        return true;
    }

    boolean remove(E member) {
        if (many != null) {
            return removeOfMany(many, member);
        }
        boolean was = member.equals(only);
        only = was ? null : only;
        return was;
    }

    private boolean removeOfMany(Set<E> members, E member) {
        boolean was = members.remove(member);
        if (members.size() == 1) {
            only = members.iterator().next();
            many = null;
        }
        return was;
    }

    int size() {
        if (many != null) {
            return many.size();
        }
        return only == null ? 0 : 1;
    }

    boolean isEmpty() {
        return size() == 0;
    }

    void forEach(Consumer<? super E> each) {
        if (many != null) {
            many.forEach(each);
        } else if (only != null) {
            each.accept(only);
        }
    }
}
