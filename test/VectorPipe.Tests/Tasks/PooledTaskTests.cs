using System.Runtime.CompilerServices;
using NUnit.Framework;
using VectorPipe.Tasks;

namespace VectorPipe.Tests.Tasks;

#pragma warning disable CA2012 // When and how often a result is taken is the case.
internal sealed class PooledTaskTests
{
    // More than the runtime's own pool keeps: one a processor, and one a thread.
    private const int AtOnce = 512;

    private readonly AsyncLocal<string> _local = new();

    [Test]
    public void Many_calls_that_wait_at_once_allocate_nothing_once_others_have()
    {
        Allocations.SkipInDebug();
        var gates = Enumerable.Range(0, AtOnce).Select(_ => new Gate()).ToArray();
        var calls = new ValueTask<int>[AtOnce];

        Burst();

        Assert.That(Allocations.OfThread(Burst), Is.Zero);

        void Burst()
        {
            for (int i = 0; i < AtOnce; i++)
                calls[i] = AddAsync(gates[i], i);
            for (int i = 0; i < AtOnce; i++)
                gates[i].Open(1);
            for (int i = 0; i < AtOnce; i++)
            {
                if (calls[i].GetAwaiter().GetResult() != i + 1)
                    throw new InvalidOperationException("expected the result of the call");
            }
        }
    }

    [Test]
    public async Task A_call_that_does_not_wait_has_its_result_at_once()
    {
        var gate = new Gate();
        gate.Open(3);

        ValueTask<int> call = AddAsync(gate, 4);

        await Assert.ThatAsync(() => Task.FromResult(call.IsCompletedSuccessfully), Is.True);
        Assert.That(await call, Is.EqualTo(7));
    }

    [Test]
    public void A_result_is_taken_once()
    {
        var gate = new Gate();
        ValueTask<int> call = AddAsync(gate, 1);
        Assert.That(() => call.GetAwaiter().GetResult(), Throws.InvalidOperationException, "it has not ended");
        gate.Open(1);

        Assert.That(call.GetAwaiter().GetResult(), Is.EqualTo(2));

        Assert.That(() => call.GetAwaiter().GetResult(), Throws.InvalidOperationException);
    }

    [Test]
    public void A_result_that_was_taken_is_refused_while_another_call_uses_its_state()
    {
        var gate = new Gate();
        ValueTask<int> first = AddAsync(gate, 1);
        gate.Open(1);
        _ = first.GetAwaiter().GetResult();
        ValueTask<int> second = AddAsync(gate, 10);
        gate.Open(1);

        Assert.That(() => first.GetAwaiter().GetResult(), Throws.InvalidOperationException);

        Assert.That(second.GetAwaiter().GetResult(), Is.EqualTo(11));
    }

    [TestCase(true)]
    [TestCase(false)]
    public async Task An_error_reaches_the_awaiter(bool waits)
    {
        var gate = new Gate();
        ValueTask call = FailAsync(gate, waits);
        if (waits)
            gate.Open(0);

        await Assert.ThatAsync(async () => await call, Throws.TypeOf<TimeoutException>());
    }

    [Test]
    public async Task A_cancelled_call_is_a_cancelled_task()
    {
        Task call = CancelAsync().AsTask();

        await Assert.ThatAsync(() => call, Throws.InstanceOf<OperationCanceledException>());
        Assert.That(call.IsCanceled);
    }

    [Test]
    public async Task A_method_goes_on_in_the_context_of_its_caller()
    {
        var gate = new Gate();
        _local.Value = "caller";
        ValueTask<string?> call = LocalAsync(gate);
        _local.Value = "later";

        await Task.Run(() =>
        {
            _local.Value = "opener";
            gate.Open(0);
        });

        Assert.That(await call, Is.EqualTo("caller"));
        Assert.That(_local.Value, Is.EqualTo("later"), "what the method sets is its own");
    }

    [Test]
    public void A_call_whose_result_was_taken_holds_nothing()
    {
        WeakReference held = Run();

#pragma warning disable RS0030 // Only a collection shows what is held.
        GC.Collect();
#pragma warning restore RS0030

        Assert.That(held.IsAlive, Is.False);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Run()
        {
            var gate = new Gate();
            object payload = new();
            ValueTask<int> call = KeepAsync(gate, payload);
            gate.Open(0);
            _ = call.GetAwaiter().GetResult();
            return new WeakReference(payload);
        }
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<int> AddAsync(Gate gate, int number) => number + await gate.PassAsync();

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<int> KeepAsync(Gate gate, object payload)
    {
        await gate.PassAsync();
        return payload.GetHashCode();
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private static async ValueTask FailAsync(Gate gate, bool waits)
    {
        if (waits)
            await gate.PassAsync();
        throw new TimeoutException();
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private static async ValueTask CancelAsync()
    {
        await Task.Yield();
        throw new OperationCanceledException();
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<string?> LocalAsync(Gate gate)
    {
        await gate.PassAsync();
        string? found = _local.Value;
        _local.Value = "method";
        return found;
    }
}
#pragma warning restore CA2012
