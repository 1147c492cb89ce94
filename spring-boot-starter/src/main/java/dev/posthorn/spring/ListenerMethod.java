package dev.posthorn.spring;

import dev.posthorn.event.Event;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * A method that takes events.
 *
 * @param type the bean's own, which knows what the type parameters of its superclasses are
 */
record ListenerMethod(Supplier<Object> bean, Class<?> type, Method method, InboxListener annotation) {

    private static final String SHAPES =
            "Let it take an Event, the payload, the payload and the Event, or a List<Event> or List of payloads alone";

    /** A list of payloads is one of many events too; a payload that is a JSON array is taken as an array. */
    boolean takesBatches() {
        return method.getParameterCount() == 1 && parameter(0).resolve() == List.class;
    }

    void requireUsable() {
        int count = method.getParameterCount();
        boolean one = count == 1;
        boolean payloadAndEvent = count == 2
                && parameter(0).resolve() != Event.class
                && parameter(1).resolve() == Event.class;
        if ((!one && !payloadAndEvent) || what().resolve() == null) {
            throw new SetupException(
                    this + " cannot take events: it has the parameters "
                            + Arrays.toString(method.getGenericParameterTypes()),
                    SHAPES);
        }
        AopUtils.selectInvocableMethod(method, bean.get().getClass());
    }

    /** Whether a payload has to be read for it. */
    boolean needsJson() {
        return what().resolve() != Event.class && what().resolve() != byte[].class;
    }

    /** What it takes of an event, or of each. */
    private ResolvableType what() {
        return takesBatches() ? parameter(0).getGeneric() : parameter(0);
    }

    void handle(Event event, JsonMapper json) throws Exception {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = argument(event, parameter(i), json);
        }
        call(arguments);
    }

    void handle(List<Event> events, JsonMapper json) throws Exception {
        call(events.stream().map(event -> argument(event, what(), json)).toList());
    }

    private ResolvableType parameter(int index) {
        return ResolvableType.forType(GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], type));
    }

    private static Object argument(Event event, ResolvableType wanted, JsonMapper json) {
        if (wanted.resolve() == Event.class) {
            return event;
        }
        return wanted.resolve() == byte[].class
                ? event.payload()
                : json.readValue(event.payload(), json.constructType(wanted.getType()));
    }

    private void call(Object... arguments) throws Exception {
        Object target = bean.get();
        Method callable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(callable);
        try {
            callable.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return "@InboxListener " + method.getDeclaringClass().getName() + "." + method.getName();
    }
}
