using VectorPipe.Server.Filtering;

namespace VectorPipe.Server.Commands;

/// <summary>The options of VSIM, behind the vector.</summary>
internal record struct SimilarityArguments()
{
    public const int DefaultCount = 10;
    public const int MostFilterBytes = 16 << 10;

    /// <summary>Elements that a filter looks at for each hit, unless more are asked for.</summary>
    public const int FilterEffortPerHit = 100;

    private const int MostCount = 65_536;
    private const int MostEffort = 1_000_000;

    // The longest list of a walk, and the most hits of a search that is to end early.
    private const int MostList = 65_536;

    public bool WithScores { get; set; }

    public bool WithAttributes { get; set; }

    /// <summary>Scores are those of the metric itself.</summary>
    public bool IsRaw { get; set; }

    public int Count { get; set; } = DefaultCount;

    /// <summary>Most of half of the distance, which is 1 less the score; null for no bound.</summary>
    public double? Epsilon { get; set; }

    /// <summary>Length of the list of candidates; 0 to aim at the recall.</summary>
    public int Effort { get; set; }

    public bool IsExact { get; set; }

    public AttributeFilter? Filter { get; set; }

    /// <summary>Most elements that a filter looks at.</summary>
    public long FilterEffort { get; set; }

    public float? Recall { get; set; }

    public int? MostReads { get; set; }

    public TimeSpan? Deadline { get; set; }

    /// <summary>Reads options to the end.</summary>
    /// <exception cref="CommandException">One is unknown or wrong.</exception>
    public static SimilarityArguments Read(Call call, int start)
    {
        var read = new SimilarityArguments();
        long filterEffort = 0;
        bool isAll = false;
        for (int at = start; at < call.Count; at++)
        {
            bool hasValue = at + 1 < call.Count;
            if (call.Command.Is(at, "NOTHREAD"))
                continue;
            if (call.Command.Is(at, "WITHSCORES"))
                read.WithScores = true;
            else if (call.Command.Is(at, "WITHATTRIBS"))
                read.WithAttributes = true;
            else if (call.Command.Is(at, "TRUTH"))
                read.IsExact = true;
            else if (call.Command.Is(at, "XFILTER-ALL"))
                isAll = true;
            else if (call.Command.Is(at, "XRAW"))
                read.IsRaw = true;
            else if (!hasValue)
                throw Syntax();
            else if (call.Command.Is(at, "COUNT"))
                read.Count = (int)Integer(call, ++at, MostCount, "COUNT");
            else if (call.Command.Is(at, "EPSILON"))
                read.Epsilon = Number(call, ++at, 0, double.MaxValue, "EPSILON");
            else if (call.Command.Is(at, "EF"))
                read.Effort = (int)Integer(call, ++at, MostEffort, "EF");
            else if (call.Command.Is(at, "FILTER"))
                read.Filter = ParseFilter(call, ++at);
            else if (call.Command.Is(at, "FILTER-EF"))
                filterEffort = Integer(call, ++at, long.MaxValue, "FILTER-EF");
            else if (call.Command.Is(at, "XRECALL"))
                read.Recall = (float)Number(call, ++at, 0.5 - 1e-9, 0.9999, "XRECALL");
            else if (call.Command.Is(at, "XREADS"))
                read.MostReads = (int)Integer(call, ++at, int.MaxValue, "XREADS");
            else if (call.Command.Is(at, "XDEADLINE"))
                read.Deadline = TimeSpan.FromMilliseconds(Number(call, ++at, 0.001, 86_400_000, "XDEADLINE"));
            else
                throw Syntax();
        }

        read.FilterEffort = isAll || read.IsExact ? long.MaxValue
            : filterEffort > 0 ? filterEffort
            : (long)FilterEffortPerHit * read.Count;
        if (read.MostReads is not null || read.Deadline is not null)
            read.FilterEffort = Math.Min(read.FilterEffort, MostList);
        return read;
    }

    /// <summary>The score of a hit in the reply.</summary>
    /// <param name="score">As a collection gives it.</param>
    public readonly double ScoreOf(DistanceMetric metric, float score) => IsRaw ? score : ScoreScale.Of(metric, score);

    /// <summary>The options of the search in a collection.</summary>
    public readonly SearchOptions ToOptions(SearchOptions defaults, long elements)
    {
        if (IsExact)
            return new SearchOptions { Mode = SearchMode.Exact, Deadline = Deadline };

        // A filter goes on from search to search, each with more hits than the one before: its list is as long as they need.
        bool hasList = Effort > 0 && Filter is null;
        if (!hasList && Recall is null && MostReads is null && Deadline is null)
            return defaults;
        long list = Math.Max(Count, Math.Min(Effort, Math.Max(elements, 1)));
        return new SearchOptions
        {
            TargetRecall = hasList ? null : Recall ?? defaults.TargetRecall,
            Graph = hasList ? new GraphSearch { ListSize = (int)Math.Min(list, MostList) } : null,
            MaxReads = MostReads,
            Deadline = Deadline,
        };
    }

    private static long Integer(Call call, int index, long most, string name) =>
        call.TryInteger(index, out long value) && value >= 1 && value <= most ? value : throw new CommandException($"ERR invalid {name}");

    private static double Number(Call call, int index, double above, double most, string name) =>
        call.TryNumber(index, out double value) && value > above && value <= most
            ? value
            : throw new CommandException($"ERR invalid {name}");

    private static AttributeFilter ParseFilter(Call call, int index)
    {
        if (call.Command[index].Length > MostFilterBytes)
            throw new CommandException($"ERR FILTER: expected at most {MostFilterBytes} bytes, found {call.Command[index].Length}");
        try
        {
            return call.Server.Filters.Read(call.Command[index]);
        }
        catch (FilterSyntaxException e)
        {
            throw new CommandException("ERR " + e.Message);
        }
    }

    private static CommandException Syntax() => new("ERR syntax error in VSIM command");
}
