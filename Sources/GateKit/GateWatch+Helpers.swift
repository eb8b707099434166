// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FrameMeasures
import PipelineKit
import PresetKit

/// The judges that work in tasks: the face search and the accelerometer. The tasks are canceled when other gates are
/// watched, and ``close()`` waits for them.
extension GateWatch {
    /// Starts a task for the gates of a generation. If other gates are watched already, cancels the task at once.
    func employ(_ generation: Int, _ work: @escaping @Sendable (GateWatch.Employer) async -> Void) {
        let employer = Employer(generation: generation) { [weak self] in self }
        let helper = Task { await work(employer) }
        let isWanted = change(generation) { state in
            state.helpers.append(helper)
            return nil
        }
        if !isWanted { dismiss([helper]) }
    }

    /// The generation that a helper works for. It holds the watch weakly, so that no helper keeps the watch alive.
    struct Employer: Sendable {
        let generation: Int
        let watch: @Sendable () -> GateWatch?
    }
}

extension GateWatch.Employer {
    func record(_ judgment: GateJudgment, of kind: GateRequest.Kind, by judge: GateBoard.Judge) {
        watch()?.record(judgment, of: kind, by: judge, generation)
    }

    func excuse(_ judge: GateBoard.Judge, of kind: GateRequest.Kind, because reason: String) {
        watch()?.excuse(judge, of: kind, because: reason, generation)
    }

    /// Stores a consumer of frames, such as the face search.
    func equip(_ body: (inout GateWatch.State) -> Void) {
        watch()?.change(generation) { state in
            body(&state)
            return nil
        }
    }
}

// MARK: - The subject of the outline

extension GateWatch {
    func prepare(_ subject: GateSubject?, _ board: GateBoard) {
        func leave(_ reason: String) { excuse(.picture, of: .present, because: reason, board.generation) }
        guard let subject else { return leave("there is no outline") }
        switch subject.presence {
        case .nothing: leave("the outline does not say what to look for (\(OutlinePresence.attribute))")
        case _ where subject.boundary.count < 3: leave("the outline has no closed shape on the preview")
        case .edges: break
        case .face where !GStreamer.hasElement(FaceGate.element): leave(FaceSearch.advice)
        case .face(let share): searchFaces(as: share, in: PixelBox(around: subject.boundary), board)
        }
    }

    private func searchFaces(as share: Double, in box: PixelBox, _ board: GateBoard) {
        let gate = FaceGate(board, expecting: box.width * share, in: box)
        employ(board.generation) { employer in
            do throws(PipelineError) {
                let search = try await FaceSearch.open(expecting: box.width * share)
                let messages = search.messages
                employer.equip { $0.faces = search }
                await employer.follow(messages, of: search, gate)
                await search.close()
            } catch {
                employer.excuse(.picture, of: .present, because: error.advice ?? error.message)
            }
        }
    }
}

extension FaceGate {
    /// Creates the gate that a board watches.
    init(_ board: GateBoard, expecting width: Double, in box: PixelBox, settling: Int = Self.settling) {
        let request = board.request(of: .present)
        self.init(
            expecting: width, in: box, least: GateScale.face.measure(of: board.threshold(of: .present) ?? 0),
            most: request?.largest ?? GateRequest.usualLargest, alone: request?.isAlone ?? false, settling: settling)
    }
}

extension GateWatch.Employer {
    fileprivate func follow(_ messages: BusMessages, of search: FaceSearch, _ gate: FaceGate) async {
        var (gate, seen) = (gate, 0)
        for await message in messages {
            if case .error(let error) = message.content {
                excuse(.picture, of: .present, because: error.message)
            } else if case .element(let structure) = message.content,
                let verdict = gate.add(structure, size: search.size)
            {
                seen += 1
                let judgment = GateJudgment(verdict, score: GateScale.face.score(of: verdict.score))
                if seen >= FaceGate.settling { record(judgment, of: .present, by: .picture) }
            }
        }
    }
}

// MARK: - Shake from the accelerometer

extension GateWatch {
    /// Reads the accelerometer once a frame, or less often if the sensor is slower.
    func feel(by request: AccelerometerRequest, _ board: GateBoard) {
        let least = GateScale.shake.measure(of: board.threshold(of: .steady) ?? 0)
        employ(board.generation) { employer in
            guard let path = await request.path else { return }
            let accelerometer = Accelerometer(folder: path, threshold: least)
            let (frames, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            employer.equip { state in
                state.board.expectSensor(of: .steady)
                state.sensor = wake
            }
            for await _ in frames {
                if let verdict = await accelerometer.judge() {
                    let judgment = GateJudgment(verdict, score: GateScale.shake.score(of: verdict.score))
                    employer.record(judgment, of: .steady, by: .sensor)
                } else {
                    employer.excuse(.sensor, of: .steady, because: "the accelerometer in \(path) cannot be read")
                }
            }
        }
    }
}
