using Spectre.Console;
using Spectre.Console.Rendering;

namespace VectorPipe.Measuring.Output;

/// <summary>The text behind a bar: rate, time left and memory.</summary>
internal sealed class FiguresColumn : ProgressColumn
{
    private const string Key = "figures";

    protected override bool NoWrap => true;

    public static void Set(ProgressTask bar, string figures) => bar.State.Update<Figures>(Key, _ => new Figures(figures));

    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Text(task.State.Get<Figures>(Key).Text ?? "");

    // The state of a bar can hold only structs.
    private readonly record struct Figures(string? Text);
}
