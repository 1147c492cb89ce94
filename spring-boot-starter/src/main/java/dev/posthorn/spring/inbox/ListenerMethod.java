package dev.posthorn.spring.inbox;

import dev.posthorn.event.Event;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.setup.SetupException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
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

    private static final List<Class<?>> PROMISES = List.of(Future.class, CompletionStage.class, Flow.Publisher.class);

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
        Object target = bean.get();
        AopUtils.selectInvocableMethod(method, target.getClass());
        requireDoneOnReturn(target);
    }

    /** The transaction ends when the method returns: whatever fails later rolls nothing back and is never tried again. */
    private void requireDoneOnReturn(Object target) {
        if (isAsynchronous(target)) {
            throw new SetupException(
                    this
                            + " is asynchronous: what it throws would roll nothing back, and the event would never be tried"
                            + " again",
                    "Take @Async off the method and its class: a listener has threads of its own, as many as threads in the"
                            + " annotation says");
        }
        Class<?> returned = method.getReturnType();
        if (PROMISES.stream().anyMatch(each -> each.isAssignableFrom(returned))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null) {
            throw new SetupException(
                    this + " returns a " + returned.getSimpleName()
                            + ": what fails later would roll nothing back, and the event would never be tried again",
                    "Let it return when its work is done, and throw what went wrong");
        }
    }

    /** By the annotation, whoever acts on it, or by another one that the application has chosen. */
    private boolean isAsynchronous(Object target) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)
                || (target instanceof Advised advised
                        && Arrays.stream(advised.getAdvisors()).anyMatch(this::isMadeAsynchronousBy));
    }

    private boolean isMadeAsynchronousBy(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor
                && advisor instanceof PointcutAdvisor which
                && which.getPointcut().getClassFilter().matches(type)
                && which.getPointcut().getMethodMatcher().matches(method, type);
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
