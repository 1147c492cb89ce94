package dev.posthorn.demo;

import static java.util.stream.Collectors.groupingBy;

import dev.posthorn.demo.Books.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiPredicate;

/**
 * Whether the books are right.
 *
 * @param faults what is wrong; empty means that all is well
 */
record Verdict(List<String> faults) {

    Verdict {
        faults = List.copyOf(faults);
    }

    /**
     * Judges the books.
     *
     * @param acknowledged the amounts of each order that customers got confirmed, in their order
     * @param troubles what went wrong on the way
     */
    static Verdict of(Books books, Map<UUID, List<Long>> acknowledged, Collection<String> troubles) {
        List<String> faults = new ArrayList<>(troubles);
        Map<UUID, Long> orders = books.orders();
        Map<UUID, List<Entry>> byBooking = books.entries().stream().collect(groupingBy(Entry::booking));
        Map<UUID, List<Entry>> debits =
                books.entries().stream().filter(Entry::isDebit).collect(groupingBy(Entry::order));
        fault(faults, "acknowledged orders are not in the database", acknowledged, (id, a) -> !orders.containsKey(id));
        fault(faults, "orders are not booked", orders, (id, amount) -> !debits.containsKey(id));
        fault(faults, "orders are booked that do not exist", debits, (id, entries) -> !orders.containsKey(id));
        fault(faults, "bookings do not sum to zero", byBooking, (id, entries) -> sum(entries) != 0);
        fault(faults, "events are not booked exactly once", byBooking, (id, entries) -> entries.size() != 2);
        fault(
                faults,
                "orders are booked with another amount than they have",
                debits,
                (id, entries) -> orders.containsKey(id) && !Objects.equals(orders.get(id), sum(entries)));
        fault(
                faults,
                "orders have changes booked out of order, or one is missing or there twice",
                debits,
                (id, entries) -> !followEachOther(entries));
        fault(
                faults,
                "orders lack a change in the books that was acknowledged",
                acknowledged,
                (id, amounts) -> !areAmong(amounts, debits.getOrDefault(id, List.of())));
        if (orders.isEmpty()) {
            faults.add("nothing was ordered, so nothing was shown");
        }
        return new Verdict(faults);
    }

    private static <T> void fault(List<String> faults, String what, Map<UUID, T> all, BiPredicate<UUID, T> isWrong) {
        List<UUID> wrong = all.entrySet().stream()
                .filter(each -> isWrong.test(each.getKey(), each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        if (!wrong.isEmpty()) {
            faults.add(String.format(Locale.ROOT, "%,d %s, such as %s", wrong.size(), what, wrong.get(0)));
        }
    }

    private static long sum(List<Entry> entries) {
        return entries.stream().mapToLong(Entry::amount).sum();
    }

    /** Each difference leads from the amount before it to the amount that its own event told. */
    private static boolean followEachOther(List<Entry> debits) {
        long amount = 0;
        for (Entry debit : debits) {
            amount += debit.amount();
            if (amount != debit.orderAmount()) {
                return false;
            }
        }
        return true;
    }

    /** In this order; between them there may be changes whose acknowledgement was lost. */
    private static boolean areAmong(List<Long> amounts, List<Entry> debits) {
        Iterator<Entry> booked = debits.iterator();
        for (long amount : amounts) {
            boolean found = false;
            while (!found && booked.hasNext()) {
                found = booked.next().orderAmount() == amount;
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }

    boolean isGood() {
        return faults.isEmpty();
    }
}
