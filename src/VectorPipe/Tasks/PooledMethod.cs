using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Tasks;

/// <summary>An async method that waits: its state, which is used again for another call.</summary>
/// <remarks>Methods of one kind share a pool, which keeps as many as ever waited at once, up to a bound.</remarks>
internal sealed class PooledMethod<TResult, TMethod> : PooledTask<TResult>
    where TMethod : IAsyncStateMachine
{
    private const int MostIdle = 4096;

    private static readonly ContextCallback _moveNext = static method => ((PooledMethod<TResult, TMethod>)method!)._state!.MoveNext();
    private static readonly IdleObjects<PooledMethod<TResult, TMethod>> _idle = new(MostIdle);

    private TMethod? _state;
    private ExecutionContext? _context;

    private PooledMethod() => GoOn = MoveNext;

    /// <summary>Goes on with the method, in the execution context in which it began to wait.</summary>
    public Action GoOn { get; }

    public static PooledMethod<TResult, TMethod> Rent()
    {
        if (!_idle.TryTake(out PooledMethod<TResult, TMethod>? method))
            method = new PooledMethod<TResult, TMethod>();
        Debug.Assert(method._context is null, "an idle method holds nothing of the call before");
        method.Begin();
        return method;
    }

    /// <summary>Takes over the state of a method that waits for the first time.</summary>
    public void Take(ref TMethod state) => _state = state;

    /// <summary>Notes the context in which the method goes on.</summary>
    public void Capture() => _context = ExecutionContext.Capture();

    protected override void GiveBack()
    {
        // What the method held goes now, not when the next call takes its place.
        _state = default;
        _context = null;
        _idle.Keep(this);
    }

    // Nothing follows the call: when the method ends in it, its awaiter may have given this back, and another call may have it.
    private void MoveNext()
    {
        if (_context is { } context)
            ExecutionContext.Run(context, _moveNext, this);
        else
            _state!.MoveNext();
    }
}
