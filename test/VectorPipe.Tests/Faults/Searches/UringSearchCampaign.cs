using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Uring;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices.Uring;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>Searches through a ring whose kernel refuses, reorders, doubles and loses, or is absent.</summary>
[TestFixture(IndexLayout.Plain, Category = "Heavy")]
[TestFixture(IndexLayout.Merged)]
[Alone]
[Platform("Linux")]
internal sealed class UringSearchCampaign
{
    private const int Schedules = 250;
    private const int Queries = 16;
    private const int K = 10;
    private const int TooManyFiles = 24;
    private const int TooManyFilesInSystem = 23;

    private static readonly int[] _setupErrors =
        [Errno.EPERM, Errno.ENOSYS, Errno.EACCES, TooManyFiles, TooManyFilesInSystem, Errno.EINVAL];
    private static readonly int[] _enterErrors = [Errno.EPERM, Errno.EACCES, Errno.ENOSYS, Errno.EBADF, Errno.ENXIO, Errno.EFAULT];

    private readonly Dictionary<(int, SearchMode), SearchHit[]> _answers = [];
    private readonly IndexLayout _layout;
    private TestIndex _test = null!;
    private byte[] _queries = null!;
    private byte[] _nodes = null!;

    public UringSearchCampaign(IndexLayout layout) => _layout = layout;

    [OneTimeSetUp]
    public void Build()
    {
        // A merged page holds so many small vectors that a search would read hardly any pages.
        _test = TestIndex.Build(count: 400, dimension: _layout == IndexLayout.Merged ? 256 : 16, layout: _layout);
        _queries = _test.MakeQueries(Queries);
        _nodes = File.ReadAllBytes(_test.NodeFile);
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        for (int query = 0; query < Queries; query++)
        {
            foreach (SearchMode mode in (SearchMode[])[SearchMode.Pipelined, SearchMode.Beam])
                _answers[(query, mode)] = Search(session, query, mode);
        }
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Any_behaviour_of_the_kernel_gives_the_right_answer_or_an_error() => Run(Schedules, firstSeed: 1);

    [Test]
    [Category("Heavy")]
    public void Many_schedules_of_the_kernel_give_the_right_answer_or_an_error() =>
        Run(80 * Schedules, firstSeed: 100_000);

    [Test]
    public void Without_io_uring_the_automatic_choice_gives_the_same_answers_and_logs_why()
    {
        int cases = 0;
        foreach ((string name, Action<SimulatedUringSystem> forbid, int errno) in Refusals())
        {
            Watchdog.Run(name, () =>
            {
                RecordingLogger logger = new();
                int before = OpenDescriptors();
                using (VectorIndex index = Open(forbid, DeviceKind.Auto, logger, out SimulatedUringSystem kernel))
                {
                    Assert.That(index.DeviceName, Is.EqualTo("portable"), name);
                    Assert.That(logger.Messages, Has.Some.Contains("portable"), name);
                    using SearchSession session = index.OpenSession();
                    AssertAnswers(name, session, cases % Queries);
                    Assert.That(kernel.Opened, Is.Zero, name);
                    kernel.Dispose();
                }

                Assert.That(OpenDescriptors(), Is.EqualTo(before), name);
            });
            cases++;
        }

        TestContext.Out.WriteLine($"{cases} cases");
        Assert.That(cases, Is.GreaterThanOrEqualTo(14));
    }

    [Test]
    public void Without_io_uring_a_requested_ring_is_an_error_with_advice()
    {
        int cases = 0;
        foreach ((string name, Action<SimulatedUringSystem> forbid, int errno) in Refusals())
        {
            Watchdog.Run(name, () =>
            {
                int before = OpenDescriptors();
                Assert.That(
                    () => Open(forbid, DeviceKind.Uring, NullLogger.Instance, out _),
                    Throws.TypeOf<DeviceException>().With.Message.Not.Empty, name);
                Assert.That(OpenDescriptors(), Is.EqualTo(before), name);
            });
            cases++;
        }

        Assert.That(cases, Is.GreaterThanOrEqualTo(14));
    }

    [Test]
    public void A_session_without_a_ring_is_refused_and_the_next_one_works([Values] bool isMap)
    {
        int cases = 0;
        foreach (int errno in new[] { TooManyFiles, Errno.EPERM, Errno.EACCES, Errno.ENOSYS, Errno.EINVAL, Errno.ENOMEM })
        {
            string name = $"{(isMap ? "mmap" : "setup")}, errno {errno}";
            Watchdog.Run(name, () =>
            {
                using VectorIndex index = Open(_ => { }, DeviceKind.Uring, NullLogger.Instance, out SimulatedUringSystem kernel);
                Func<int, int> fail = _ => errno;
                (kernel.OnMap, kernel.OnSetup) = isMap ? (fail, (Func<uint, int>)(_ => 0)) : (_ => 0, _ => errno);
                Assert.That(index.OpenSession, Throws.TypeOf<DeviceException>().With.Property("ErrorNumber").EqualTo(errno), name);
                Assert.That((kernel.Mapped, kernel.Opened), Is.EqualTo((0, 0)), name);
                (kernel.OnMap, kernel.OnSetup) = (_ => 0, _ => 0);
                using (SearchSession session = index.OpenSession())
                    AssertAnswers(name, session, cases);
                kernel.Dispose();
            });
            cases++;
        }
    }

    [Test]
    public void A_ring_that_breaks_at_any_enter_is_an_error_and_a_new_session_works([ValueSource(nameof(_enterErrors))] int errno)
    {
        for (int k = 0; k < 3; k++)
        {
            string name = $"enter {k}, errno {errno}";
            Watchdog.Run(name, () =>
            {
                using VectorIndex index = Open(_ => { }, DeviceKind.Uring, NullLogger.Instance, out SimulatedUringSystem kernel);
                int enters = 0;
                using (SearchSession session = index.OpenSession())
                {
                    kernel.OnEnter = _ => enters++ >= k ? -errno : null;
                    Assert.That(() => Search(session, k, SearchMode.Beam), Throws.InstanceOf<VectorPipeException>(), name);
                    kernel.OnEnter = _ => null;
                    Assert.That(
                        () => Search(session, k, SearchMode.Beam), Throws.InstanceOf<VectorPipeException>(),
                        $"{name}: a broken ring stays broken");
                }

                using (SearchSession session = index.OpenSession())
                    AssertAnswers(name, session, k);
                kernel.Dispose();
            });
        }
    }

    private void Run(int schedules, int firstSeed)
    {
        int answers = 0;
        int errors = 0;
        for (int seed = firstSeed; seed < firstSeed + schedules; seed += 10)
        {
            int first = seed;
            PendingSession shared = new();
            Watchdog.Run($"schedules from seed {first}", () =>
            {
                Random random = new(first);
                using VectorIndex index = Open(_ => { }, DeviceKind.Uring, NullLogger.Instance, out SimulatedUringSystem kernel);
                using (SearchSession session = index.OpenSession())
                {
                    shared.Session = session;
                    Disturb(kernel, random);
                    for (int i = 0; i < 10; i++)
                    {
                        string name = $"seed {first}, search {i}";
                        int query = random.Next(Queries);
                        SearchMode mode = i % 2 == 0 ? SearchMode.Beam : SearchMode.Pipelined;
                        try
                        {
                            SearchUnderTest.AssertEqual(name, _answers[(query, mode)], Search(session, query, mode));
                            answers++;
                        }
                        catch (VectorPipeException)
                        {
                            errors++;
                        }

                        PipelineHealth.AssertIdle(session.Reads, name);
                    }
                }

                Assert.That((kernel.Mapped, kernel.Opened), Is.EqualTo((0, 0)), $"seed {first}: the ring is closed");
                kernel.Dispose();
            }, () => $"seed {first}: {shared.Session?.Reads.DescribeInFlight()}");
        }

        TestContext.Out.WriteLine($"{schedules} searches: {answers} answers, {errors} errors");
        Assert.That(answers + errors, Is.EqualTo(schedules));
        Assert.That(answers, Is.GreaterThan(schedules * 3 / 4));
        Assert.That(errors, Is.GreaterThan(0));
    }

    private static void Disturb(SimulatedUringSystem kernel, Random random)
    {
        kernel.Disorder = random;
        kernel.CqLimit = (uint)random.Next(2, 8);
        kernel.Duplicates = random.Next(3) == 0;
        kernel.OnResult = (_, bytes) => random.Next(60) switch
        {
            0 => -Errno.EINTR,
            1 => -Errno.EAGAIN,
            2 => random.Next(1, Math.Max(2, bytes)),
            3 => random.Next(4) == 0 ? -Errno.EIO : bytes,
            _ => bytes,
        };
        kernel.OnEnter = toSubmit => random.Next(8) switch
        {
            0 when toSubmit > 0 => -Errno.EAGAIN,
            1 when toSubmit > 0 => -Errno.EBUSY,
            2 => -Errno.EINTR,
            3 => random.Next(3),
            _ => null,
        };
    }

    private static IEnumerable<(string Name, Action<SimulatedUringSystem> Forbid, int Errno)> Refusals()
    {
        foreach (int errno in _setupErrors)
            yield return ($"setup, errno {errno}", kernel => kernel.OnSetup = _ => errno, errno);
        foreach (int errno in _enterErrors)
            yield return ($"enter, errno {errno}", kernel => kernel.OnEnter = _ => -errno, errno);
        yield return ("mmap of the rings, ENOMEM", kernel => kernel.OnMap = _ => Errno.ENOMEM, Errno.ENOMEM);
        yield return ("mmap of the entries, ENOMEM", kernel => kernel.OnMap = n => n % 2 == 1 ? Errno.ENOMEM : 0, Errno.ENOMEM);
        yield return (
            "enable, EPERM", kernel => kernel.OnRegister = o => o == IoUringAbi.RegisterEnableRings ? Errno.EPERM : 0, Errno.EPERM);
        yield return ("setup out of locked memory", kernel => kernel.OnSetup = _ => Errno.ENOMEM, Errno.ENOMEM);
        yield return ("reads not supported", kernel => kernel.ForcedResult = -Errno.EOPNOTSUPP, Errno.EOPNOTSUPP);
    }

    private VectorIndex Open(Action<SimulatedUringSystem> prepare, DeviceKind kind, ILogger logger, out SimulatedUringSystem kernel)
    {
        SimulatedUringSystem system = kernel = new SimulatedUringSystem(_nodes);
        prepare(system);
        OpenOptions options = new() { QueriesInFlight = 2, Device = new DeviceOptions { Kind = kind } };
        return VectorIndex.Open(_test.Directory, options, (paths, device, _) => DeviceFactory.Open(paths, device, logger, system));
    }

    private void AssertAnswers(string name, SearchSession session, int query)
    {
        query %= Queries;
        foreach (SearchMode mode in (SearchMode[])[SearchMode.Pipelined, SearchMode.Beam])
            SearchUnderTest.AssertEqual($"{name}, {mode}", _answers[(query, mode)], Search(session, query, mode));
        PipelineHealth.AssertIdle(session.Reads, name);
    }

    /// <summary>With a list of all nodes the pipelined answer does not depend on the order of completions.</summary>
    private SearchHit[] Search(SearchSession session, int query, SearchMode mode)
    {
        var hits = new SearchHit[K];
        session.Search<byte>(
            _queries.AsSpan(query * _test.RowBytes, _test.RowBytes), K, hits,
            new SearchOptions { Graph = new GraphSearch { ListSize = mode == SearchMode.Beam ? 40 : _test.Count }, Mode = mode });
        return hits;
    }

    private sealed class PendingSession
    {
        public SearchSession? Session { get; set; }
    }

    private int OpenDescriptors() => PipelineHealth.OpenDescriptors(_test.Directory) + PipelineHealth.OpenRings();
}
